package main

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// shownEvents gives the lines of an event: of a batch, one for each value.
func shownEvents(in session.Incoming) (lines []string) {
	switch in := in.(type) {
	case *session.Chunks:
		for i, value := range in.All() {
			last := i == in.Len()-1
			lines = append(lines, shownEvent(&session.Chunk{ID: in.ID, Number: in.Number + uint64(i), Final: in.Final && last, Ack: in.Ack && last, Value: value}))
		}
	case *session.Events:
		for _, value := range in.All() {
			one := session.Event{ID: in.ID, Service: in.Service, Method: in.Method, Trace: in.Trace, Metadata: in.Metadata, Value: value}
			lines = append(lines, shownEvent(&one))
		}
	default:
		lines = append(lines, shownEvent(in))
	}
	return lines
}

// shownEvent gives the line of an event.
func shownEvent(in session.Incoming) string {
	switch in := in.(type) {
	case *session.Ready:
		return "ready\tservices=" + shownTexts(in.Services)
	case *session.Call:
		return "call\t" + shownCall(in) + "\tvalue=" + shownBytes(in.Value)
	case *session.Open:
		return fmt.Sprintf("open\t%s\tmessages=%d\tbytes=%d\tfinal=%s\tvalue=%s", shownCall(&in.Call), in.Messages, in.Bytes, bit(in.Final), shownBytes(in.Value))
	case *session.Event:
		return fmt.Sprintf("event\tid=%d\tservice=%d\tmethod=%d\ttrace=%s\tmeta=%s\tack=%s\tvalue=%s",
			in.ID, in.Service, in.Method, shownTrace(in.Trace), shownMetadata(in.Metadata), bit(in.Ack), shownBytes(in.Value))
	case *session.Response:
		return fmt.Sprintf("response\tid=%d\tmeta=%s\tvalue=%s", in.ID, shownMetadata(in.Metadata), shownBytes(in.Value))
	case *session.Ended:
		return fmt.Sprintf("ended\tid=%d\t%s\tdetails=%s\tacted=%s", in.ID, shownFailure(&in.Failure), shownBytes(in.Details), bit(in.Acted))
	case *session.Chunk:
		return fmt.Sprintf("chunk\tid=%d\tnumber=%d\tfinal=%s\tack=%s\tvalue=%s", in.ID, in.Number, bit(in.Final), bit(in.Ack), shownBytes(in.Value))
	case *session.Finished:
		return fmt.Sprintf("finished\tid=%d", in.ID)
	case *session.Granted:
		return fmt.Sprintf("granted\tid=%d\tmessages=%d\tbytes=%d", in.ID, in.Messages, in.Bytes)
	case *session.Acked:
		return fmt.Sprintf("acked\tid=%d\tchunk=%d", in.ID, in.Chunk)
	case *session.Cancelled:
		return fmt.Sprintf("cancelled\tid=%d\twhy=%s", in.ID, in.Why)
	case *session.Draining:
		return "draining\treason=" + shownBytes([]byte(in.Reason))
	case *session.Register:
		return fmt.Sprintf("register\tid=%d\tname=%s\tcapabilities=%s\tlease=%d\taddresses=%s\tservices=%s\tepoch=%d",
			in.ID, shownBytes([]byte(in.Name)), shownTexts(in.Capabilities), in.Lease, shownTexts(in.Addresses), shownTexts(in.Services), in.Epoch)
	case *session.Heartbeat:
		return fmt.Sprintf("heartbeat\tid=%d\tname=%s", in.ID, shownBytes([]byte(in.Name)))
	case *session.Discover:
		return fmt.Sprintf("discover\tid=%d\tcapability=%s\tname=%s\tservice=%s\tversion=%d",
			in.ID, shownBytes([]byte(in.Capability)), shownBytes([]byte(in.Name)), shownBytes([]byte(in.Service)), in.Version)
	case *session.End:
		return fmt.Sprintf("end\t%s\tremote=%s", shownFailure(&in.Failure), bit(in.Remote))
	}
	return "unknown"
}

func shownCall(c *session.Call) string {
	return fmt.Sprintf("id=%d\tservice=%d\tmethod=%d\tdeadline=%d\ttrace=%s\tmeta=%s",
		c.ID, c.Service, c.Method, c.Deadline, shownTrace(c.Trace), shownMetadata(c.Metadata))
}

func shownFailure(f *session.Failure) string {
	return fmt.Sprintf("status=%d\tname=%s\ttext=%s", uint16(f.Status), shownBytes([]byte(f.Name)), shownBytes([]byte(f.Text)))
}

func shownBytes(data []byte) string {
	if len(data) == 0 {
		return "-"
	}
	return hex.EncodeToString(data)
}

func shownTexts(texts []string) string {
	var all []string
	for _, text := range texts {
		all = append(all, shownBytes([]byte(text)))
	}
	return joined(all)
}

func shownMetadata(metadata []session.Metadatum) string {
	var all []string
	for _, m := range metadata {
		all = append(all, shownBytes([]byte(m.Key))+":"+shownBytes(m.Value))
	}
	return joined(all)
}

func joined(all []string) string {
	if len(all) == 0 {
		return "-"
	}
	return strings.Join(all, ",")
}

func shownTrace(t *session.Trace) string {
	if t == nil {
		return "-"
	}
	return hex.EncodeToString(t.ID[:]) + ":" + strconv.FormatUint(t.Parent, 10) + ":" + strconv.Itoa(int(t.Flags))
}
