package nodes

import (
	"strings"
	"testing"

	"pflow/internal/nodetype"
)

// TestDestructiveClasses holds, by the class of what hides it, commands that destroy or cannot be known, and beside them
// the everyday forms that do not.
func TestDestructiveClasses(t *testing.T) {
	for _, c := range commandClasses {
		t.Run(c.class, func(t *testing.T) {
			for verdict, commands := range map[bool]string{true: c.destructive, false: c.harmless} {
				for command := range strings.SplitSeq(strings.TrimSpace(commands), "\n") {
					command = strings.ReplaceAll(command, `\n`, "\n")
					if got := destroys(command, map[string]any{}, []string{"args"}); command != "" && (got != "") != verdict {
						t.Errorf("%s\n  destroys is %q, want %v", command, got, verdict)
					}
				}
			}
		})
	}
}

var commandClasses = []struct{ class, destructive, harmless string }{
	{"options that take an excuse back", `
kill -KILL 1
kill -9 1
kill -s KILL 0
kill -0 -9 1
pkill -KILL x
git clean -fden
mv -n -f f x
cp -nf a b
tar -ckf x f
tar -xf x.tar
tar czf x.tgz d
rsync -a --delete -e"ssh -n" a b
rsync -a --ignore-existing --delete a b
unzip -o -dplain x.zip
git push -n --no-dry-run --force
kubectl delete pod x --dry-run=none
helm uninstall x --dry-run=none
gunzip -kf x.gz
gzip -k --force x
mkfs.ext4 -l bad /dev/sda1
crontab -l -r
`, `
kill -l
kill -l 9
kill -0 1
kill -s 0 "$$pid"
git clean -nfd
git clean -n -e x
mv -nv f x
cp -rn a b
cp --no-clob a b
tar -tvzf x.tgz
tar tf x.tar
tar xkf x.tar
tar xOf x.tar f
tar cf - d
tar -cf - d | gzip -c
rsync -an --delete a b
rsync -avz --dry-run -e 'ssh -p 22' a host:b
rsync -a --ignore-existing a b
unzip -l x.zip
unzip -n -d plain x.zip
git push -n --force
kubectl delete pod x --dry-run=client
gunzip -k x.gz
gzip -cd x.gz
gzip -dcf x.gz
make -n clean
apt-get -s upgrade
crontab -l -u bob
fdisk -l
`},
	{"options that run code", `
tar -tf x.tar -I 'sh -c "rm x"'
tar -tf x.tar --use-compress-program='rm x'
tar -tf x.tar --use-comp 'rm x'
tar -tf x.tar --checkpoint=1 --checkpoint-action=exec=x
tar -xOf x.tar --to-command=x
rsync -n -e 'sh -c "rm x"' a b
rsync -n --rsh='sh -c "rm x"' a h:b
rsync -n --rsync-path=x a h:b
rename -n 's/a/b/' f
git fetch --upload-pack=x origin
git ls-remote --upload-pack x .
git clone -u x url
git clone -c core.sshCommand=x url
git grep -Ox y
git grep --open-files-in-pager=x y
git difftool -x x
git archive --remote=. --exec=x HEAD
git push -n --receive-pack=x
make -n --eval x
make --ev x
go test -exec x ./...
go test --exec=x ./...
go build -toolexec x ./...
go vet -vettool=x ./...
curl -K x
curl -K - example.org
curl --config x
wget -e use_askpass=x example.org
man -P x ls
man --pag x ls
apt-get -s -o x upgrade
`, `
tar -tf x.tar -I zstd
tar -I 'zstd -d' -tf x.tar
rsync -n -e ssh a h:b
git fetch origin
git clone --depth 1 url
git grep -n y
git ls-remote origin
go test -run X ./...
go build ./...
go vet ./...
man ls
man 3 printf
make -n all
`},
	{"options that are not known before a command", `
xargs --max-arg 1 rm
xargs --max-lines rm
xargs --unheard 1 rm
env --unse X rm
env - rm x
env --unheard X rm
timeout --sig KILL 5 rm
env --spl='rm x'
env -S rm x
env -S 'git push' -f
env -S '-i rm' x
kubectl -v 6 delete pod x
docker --config d rm c
docker --unheard d rm c
git --unheard x push -f
sudo -k rm x
sudo --unheard x rm y
fd --exec=rm
fd -xrm
fd -Hx rm
fd --exec-b rm
env /bin/r[m] x
nohup r? x
alias g=git; g push -f
alias c='env'; c rm x
`, `
xargs --max-args 1 echo
xargs -r0 -n1 echo
env -i A=1 ls
env -S 'ls -l' d
timeout --foreground -s KILL 5 ls
kubectl -v 6 get pods
docker --config d ps
git --no-pager log
git -C d --no-pager diff
sudo -n -E ls
sudo -k ls
fd x
fd -e go
fd -x echo
find . -xdev -name x
find . -exec echo {} +
alias ll='ls -l'; ll
`},
	{"text that is put together", `
ls | xargs -I{} sh -c '{}'
ls | xargs -I% sh -c 'echo %'
ls | xargs --replace=% sh -c 'echo %'
ls | xargs --replace sh -c 'echo {}'
ls | xargs -i sh -c 'echo {}'
ls | xargs -J % sh -c % x
ls | xargs -I{} -n1 git push origin
find . -exec sh -c 'echo {}' \;
find . -exec sh -c "wc '{}'" \;
`, `
ls | xargs -I{} echo {}
ls | xargs -i echo {}.bak
ls | xargs sh -c 'echo "$@"' _
find . -exec sh -c 'echo "$1"' _ {} \;
find . -exec grep x {} /dev/null \;
`},
	{"variables that select code", `
PATH=./bin:/bin ls
PATH=./bin; ls
PATH= ls
export PATH=./bin
export PATH="$$PATH:x"
declare -x PATH=x
read PATH < f
printf -v PATH x
for PATH in x; do ls; done
: $${PATH:=x}
env PATH=x ls
env -i LD_PRELOAD=./x.so ls
sudo LD_PRELOAD=./x.so ls
BASH_ENV=x bash -c ls
ENV=x sh -c ls
DYLD_INSERT_LIBRARIES=x ls
GIT_SSH_COMMAND=x git fetch
GIT_EXTERNAL_DIFF=x git diff
PAGER=x man ls
GIT_PAGER=./x git log
EDITOR=x git commit
LESSOPEN='|x' less f
MAKEFLAGS=--eval=x make
make SHELL=./x
make -n SHELL=./x
PERL5OPT=-Mx perl f
NODE_OPTIONS=--require=x node f
PYTHONPATH=x python3 f
TAR_OPTIONS=--to-command=x tar tf f
IFS=x; ls
PS4='$$(x)' bash -x f
`, `
A=1 ls
A=1; export A
export A=1 B=2
export PATH
LC_ALL=C sort f
env LC_ALL=C sort f
IFS= read -r x
while IFS=, read -r a b; do echo "$$a"; done < f
GIT_PAGER=cat git log
PAGER= git log
GIT_EDITOR=true git commit
make CFLAGS=-O2 all
for i in 1 2; do echo $$i; done
read x
printf -v out x
echo $${A:=x}
CI=1 npm test
`},
	{"streams that hold code", `
sed -f /dev/stdin f
sed -f <(echo 1d) f
sed --file=- f
awk -f <(echo x) f
awk -f /dev/fd/3 f
sh //dev/stdin
sh /dev/./stdin
sh ../../dev/stdin
bash /proc/self/fd/0
python3 /proc/self/fd/0
python3 //dev/stdin
make -f -
make -f /dev/stdin
make --makef=/dev/stdin
psql -f /dev/stdin
psql -f -
bash 3<<EOF\nls\nEOF
`, `
sed -f x.sed f
awk -f x.awk f
sh ./x.sh
make -f x.mk all
make -j4 test
make -j test
psql -f x.sql
bash <<EOF\nls\nEOF
bash 0<<EOF\nls\nEOF
echo x > //dev/null
`},
	{"names that bash evaluates", `
test -v 'a[$$(x)]'
[ -v 'a[$$(x)]' ]
printf -v 'a[$$(x)]' y
printf -v'a[$$(x)]' y
read 'a[$$(x)]'
unset 'a[$$(x)]'
declare 'a[$$(x)]=1'
mapfile -C x -c 1 a
hash -p x ls
jobs -x x
wait -p 'a[$$(x)]'
`, `
test -v a
printf -v a '%s[' y
printf 'a[$$(x)]'
read -r a b
unset a
declare a=1
declare 'a=[1]'
mapfile -t a
hash -r
jobs -l
wait -n
`},
	{"subcommands that write and those that show", `
git config alias.x '!rm y'
git config --get --unset core.pager
git config core.pager x
git config Core.Pager x
git checkout-index -f -a
git read-tree -u --reset HEAD
terraform state rm x
terraform workspace delete x
`, `
git config --get core.pager
git config --get user.name
git config --list
git config user.name x
git read-tree HEAD
terraform state list
terraform workspace list
npm ci
`},
}

// TestDestructiveEnvironment checks that the variables of the param env are looked at.
func TestDestructiveEnvironment(t *testing.T) {
	for name, want := range map[string]bool{"BASH_ENV": true, "LD_PRELOAD": true, "GIT_SSH_COMMAND": true, "PATH": true, "LC_ALL": false, "NAME": false} {
		c := nodetype.Call{Params: map[string]any{"command": "ls", "env": map[string]any{name: "x"}}}
		if got := destroysShell(c, nil); (got != "") != want {
			t.Errorf("%s: destroys is %q, want %v", name, got, want)
		}
	}
}
