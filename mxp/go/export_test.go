package mxp

// RunAs makes a server take a user for the one that the program runs as.
func (s *Server) RunAs(user int) { s.user = func() int { return user } }
