module example.com/sdp-gen-lua

go 1.23
