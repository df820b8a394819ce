//go:build !unix

package engine

import "os"

func describe(s *os.ProcessState) ending {
	return ending{success: s.Success(), code: s.ExitCode(), user: s.UserTime(), system: s.SystemTime()}
}
