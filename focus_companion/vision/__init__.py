"""Turns camera pictures into evidence; knows the 52 squares and the four colours, but no rules."""

import os as _os

# OpenCV reads these when it is first imported, and all our imports of it go through this package.
# What fails is said by the caller, in one line.
_os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
_os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
# A small file may claim to be a huge picture; the largest of today's phones takes 200 million pixels.
_os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(220_000_000))
# Only films, streams and pictures: a playlist might refer to another file or another machine.
_os.environ.setdefault(
    "OPENCV_FFMPEG_CAPTURE_OPTIONS",
    "rtsp_flags;prefer_tcp|format_whitelist;mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegts,mpegvideo,"
    "m4v,h264,hevc,av1,ivf,obu,flv,ogg,asf,wtv,dv,nut,mxf,gif,apng,mjpeg,mpjpeg,jpeg_pipe,png_pipe,webp_pipe,"
    "image2pipe,rtsp,rtp,sdp",
)
