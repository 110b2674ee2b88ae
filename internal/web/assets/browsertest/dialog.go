package browsertest

import (
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Answer gives what answers each question that the browser asks from now on as yes says, which is given its kind, and tells of each answer
// when it is given. It is to run beside what asks.
func (b *Browser) Answer(yes func(kind string) bool) (answers func(), answered <-chan error) {
	told := make(chan error, 100)
	asked := chromedp.Events(b.Context, page.JavascriptDialogOpening)
	return func() {
		for e, err := range asked {
			if err != nil {
				return
			}
			_, err = chromedp.Call(b.Context, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: yes(string(e.Type))})
			told <- err
		}
	}, told
}
