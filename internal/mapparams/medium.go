package mapparams

import (
	"path"
	"strings"
)

// Medium is the sort of data that a file holds, told by the ending of its name: image, audio or video; "" if it does not tell.
func Medium(file string) string { return media[strings.ToLower(path.Ext(file))] }

// IsMedium reports whether a kind is one of those that Medium gives.
func IsMedium(kind string) bool { return kind == image || kind == audio || kind == video }

const (
	image = "image"
	audio = "audio"
	video = "video"
)

var media = map[string]string{
	".png": image, ".jpg": image, ".jpeg": image, ".gif": image, ".webp": image, ".bmp": image, ".tif": image, ".tiff": image, ".svg": image, ".heic": image,
	".wav": audio, ".mp3": audio, ".flac": audio, ".ogg": audio, ".m4a": audio, ".aac": audio, ".opus": audio, ".aiff": audio,
	".mp4": video, ".mov": video, ".avi": video, ".mkv": video, ".webm": video, ".m4v": video, ".mpg": video, ".mpeg": video,
}
