"""From camera pictures to evidence: knows the 52 squares and the four colours, and no rules."""

import os as _os

# OpenCV reads these when it is first imported, and whatever of ours imports it comes through this package.
_os.environ.setdefault("OPENCV_LOG_LEVEL", "ERROR")
_os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
# A small file may claim a huge picture; the largest of today's phones has 200 million pixels.
_os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(220_000_000))
# Films, streams and pictures alone: no playlist, which may send us to another file or another machine.
_os.environ.setdefault(
    "OPENCV_FFMPEG_CAPTURE_OPTIONS",
    "rtsp_flags;prefer_tcp|format_whitelist;mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegts,mpegvideo,"
    "m4v,h264,hevc,av1,ivf,obu,flv,ogg,asf,wtv,dv,nut,mxf,gif,apng,mjpeg,mpjpeg,jpeg_pipe,png_pipe,webp_pipe,"
    "image2pipe,rtsp,rtp,sdp",
)
