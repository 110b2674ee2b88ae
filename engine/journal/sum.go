package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
)

// Every line ends with a checksum of itself and of all lines before it: the CRC-32C that the line before ends with, gone
// on with over the bytes of the line up to its checksum. So a line that was changed, removed, put in or moved shows at
// once, and which it is. Only a journal cut off after a whole line looks like one of a run that was killed there.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The last key of a line: ,"crc":"0123abcd"}
const (
	sumBefore = `,"crc":"`
	sumAfter  = `"}`
	sumLength = len(sumBefore) + 8 + len(sumAfter)
)

// seal ends a record, which lacks its last brace, as a line, and gives the checksum that the next line goes on with.
func seal(line []byte, before uint32) ([]byte, uint32) {
	sum := crc32.Update(before, castagnoli, line)
	line = appendSum(line, sum)
	return append(line, '\n'), sum
}

func appendSum(b []byte, sum uint32) []byte {
	var digits [4]byte
	binary.BigEndian.PutUint32(digits[:], sum)
	return append(hex.AppendEncode(append(b, sumBefore...), digits[:]), sumAfter...)
}

var errSum = errors.New("its checksum is wrong: the line was changed, or lines were removed, put in or moved before it; " +
	"what the run did is no longer known, so it cannot go on: start it again")

// check gives the checksum of a line, without its line break, if it is right.
func check(line []byte, before uint32) (uint32, error) {
	at := len(line) - sumLength
	if at < 0 {
		return 0, errSum
	}
	sum := crc32.Update(before, castagnoli, line[:at])
	var buf [sumLength]byte
	if !bytes.Equal(appendSum(buf[:0], sum), line[at:]) {
		return 0, errSum
	}
	return sum, nil
}
