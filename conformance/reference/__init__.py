"""A second implementation of SDP, written from the files of spec/ alone."""
