package language

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// One request in each language, without help from names of files.
		{"lösch bitte alle leeren Ordner hier", "German"},
		{"Benenne foto.png in bild.png um", "German"},
		{"supprime les fichiers vides du dossier", "French"},
		{"qu'est-ce que contient l'archive sauvegarde.zip ?", "French"},
		{"muéstrame las cinco primeras líneas de datos.csv", "Spanish"},
		{"¿cuántas palabras hay en notas.txt?", "Spanish"},
		{"sposta tutte le immagini nella cartella foto", "Italian"},
		{"apague os arquivos vazios desta pasta", "Portuguese"},
		{"hoeveel regels staan er in lijst.txt", "Dutch"},
		{"pokaż ostatnie pięć wierszy pliku dziennik.log", "Polish"},
		{"ta bort alla tomma mappar", "Swedish"},
		{"hvor mange linjer er der i liste.txt", "Danish or Norwegian"},
		{"opret en mappe og flyt billederne derhen", "Danish"},
		{"finn alle bilder og legg dem i mappen bilder", "Norwegian"},
		{"kopioi kaikki kuvat kansioon kuvat", "Finnish"},
		{"přejmenuj soubor na záloha.txt", "Czech"},
		{"boş klasörleri sil", "Turkish"},
		{"șterge toate fișierele goale", "Romanian"},
		{"töröld az üres mappákat", "Hungarian"},
		{"hapus semua berkas kosong", "Indonesian"},
		{"xóa tất cả các tệp trống", "Vietnamese"},
		{"удали все пустые папки", "Russian"},
		{"видали всі порожні теки", "Ukrainian"},
		{"διάγραψε τους κενούς φακέλους", "Greek"},
		{"احذف المجلدات الفارغة", "Arabic"},
		{"מחק את התיקיות הריקות", "Hebrew"},
		{"删除所有空文件夹", "Chinese"},
		{"空のフォルダーを消して", "Japanese"},
		{"빈 폴더를 모두 지워 줘", "Korean"},
		{"सभी खाली फ़ोल्डर हटाओ", "Hindi"},
		{"ลบโฟลเดอร์ว่างทั้งหมด", "Thai"},
		// Values stand between.
		{"把a.txt复制到b.txt", "Chinese"},
		{"kopiere a.txt nach b.txt", "German"},
		{"sposta a.txt in b/", "Italian"},
		{"'sposta a.txt in b/'", "Italian"}, // quoted as a whole
		{"Ordena", "Spanish or Portuguese"},
		// In part English: by most of its words, and only where they ask for something.
		{"please kopiere alle Dateien in den Ordner backup", "German"},
		{"hey, ordena las líneas de names.txt y guarda el resultado please", "Spanish"},
		// English, whatever it is about.
		{"", ""},
		{"copy a.txt to b.txt", ""},
		{"42", ""},
		{"./a.sh --all -o out.txt", ""},
		{"play la vida es un carnaval", ""},
		{"book a table for two at la casa de las flores", ""},
		{"write 'hola, qué tal' to greeting.txt", ""},
		{"write \"der die das\" to articles.txt", ""},
		{"translate мир to English", ""},
		{"what does 你好 mean", ""},
		{"how do you say thank you in german", ""},
		{"add 45 to 87 plus 54 plus 43", ""},
		{"flights from Los Angeles to El Paso via San José", ""},
		{"delete the café résumé", ""},
		{"put the file uber.txt into a folder called naïve", ""},
		{"I don't want the kids' files", ""},
		{"git status", ""},
		{"ls", ""},
		{"lits the flies in docs", ""},
		{"die Bart, die", ""},
		{"for k, v", ""},
	} {
		if got := Detect(c.text); got != c.want {
			t.Errorf("%q is %q, not %q", c.text, got, c.want)
		}
	}
}

// TestEnglish reads what is English for certain: the sentences of the documentation.
func TestEnglish(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("there is no documentation", err)
	}
	n, wrong := 0, 0
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if strings.Count(line, " ") < 3 {
				continue // no sentence
			}
			n++
			if got := Detect(line); got != "" {
				wrong++
				t.Logf("%s: %q is called %s", filepath.Base(file), line, got)
			}
		}
	}
	if n < 1000 || wrong*1000 > n {
		t.Errorf("%d of %d lines of English are called another language", wrong, n)
	}
}

// TestWords looks at the data: words are in small letters, none is twice in a list, and each language can be told.
func TestWords(t *testing.T) {
	for _, l := range languages {
		if len(l.words.whole) < 40 || len(l.asks.whole) < 30 {
			t.Errorf("%s has %d words and %d of requests", l.name, len(l.words.whole), len(l.asks.whole))
		}
		for _, list := range []lexicon{l.words, l.asks} {
			for w := range list.whole {
				if w != strings.ToLower(w) || !isWord(w) {
					t.Errorf("%s: %q can never be found", l.name, w)
				}
			}
		}
		if strings.ContainsFunc(l.letters, func(r rune) bool { return r < unicode.MaxASCII }) {
			t.Errorf("%s: the letters %q are English", l.name, l.letters)
		}
	}
	if !slices.ContainsFunc(languages, func(l entry) bool { return l.words.has("und") }) || englishWords["die"] {
		t.Error("und is no English word, and die tells nothing")
	}
}

// FuzzDetect: any text has an answer.
func FuzzDetect(f *testing.F) {
	for _, s := range []string{"", "l'", "''", "\xff", "kopiere a", "把 ' a", "«", "-", "'''"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(Detect(text), "English") {
			t.Error("English is told by no name")
		}
	})
}
