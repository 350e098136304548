package mxp

// notSentLowat is TCP_NOTSENT_LOWAT.
const notSentLowat = 0x201
