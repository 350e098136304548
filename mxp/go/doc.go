// Package mxp carries messages between programs: calls, events and streams over
// unix sockets, TCP, TLS and shared memory. Values are any bytes; with SDP they are encoded
// messages.
//
//	services := mxp.NewServices()
//	services.Service("demo.Echo").Call(1, func(ctx context.Context, r *mxp.Request) ([]byte, error) {
//		return r.Value, nil
//	})
//	server := mxp.NewServer(mxp.ServerOptions{Services: services})
//	go server.ListenAndServe(ctx, "mxp+unix:///run/echo.sock")
//
//	client, err := mxp.Dial("mxp+unix:///run/echo.sock", mxp.ClientOptions{})
//	reply, err := client.Call(ctx, "demo.Echo", 1, []byte("hello"))
//
// A call ends once: with a reply, or with a *Failure that says whether the peer
// may have acted. The context carries deadlines and cancellation, at both ends. The protocol core
// is in package session, and frames in package frame; clauses like [MXP-7.4] are in spec/mxp.md.
package mxp
