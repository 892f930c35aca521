"""Many tables and many viewers."""
