package mxp

// RunAs makes a server take a user for the one that the program runs as.
func (s *Server) RunAs(user int) { s.user = func() int { return user } }

// Counted is what the server's connections hold, as the budget counts it.
func (s *Server) Counted() int64 { return s.common.Budget.Held() }
