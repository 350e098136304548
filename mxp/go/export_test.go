package mxp

// RunAs replaces the user that a server takes the program to run as.
func (s *Server) RunAs(user int) { s.user = func() account { return account{number: user} } }

// Counted is the memory of the server's connections, as the budget counts it.
func (s *Server) Counted() int64 { return s.common.Budget.Held() }
