package nodes

import (
	"strings"
	"testing"

	"pflow/internal/fault"
	"pflow/internal/nodetype"
	"pflow/ir"
)

// destroys says what a command destroys, with values of templates.
func destroys(command string, values map[string]any, pending []string, args ...any) string {
	params := map[string]any{"command": command}
	if args != nil {
		params["args"] = args
	}
	c := nodetype.Call{Params: params, Resolve: func(template string) (any, error) {
		p, problems := ir.Compile(template)
		if problems != nil {
			return nil, fault.New(fault.InvalidRequest, "%s", problems[0].Message)
		}
		return p.Resolve(ir.Values(values))
	}}
	return destroysShell(c, pending)
}

// TestDestructiveCommands holds the verdict on commands: what destroys, or cannot be known, and what does not.
func TestDestructiveCommands(t *testing.T) {
	for verdict, commands := range map[bool]string{true: destructiveCommands, false: harmlessCommands} {
		for command := range strings.SplitSeq(strings.TrimSpace(commands), "\n") {
			command = strings.ReplaceAll(command, `\n`, "\n")
			if got := destroys(command, map[string]any{}, []string{"args"}); (got != "") != verdict {
				t.Errorf("%s\n  destroys is %q, want %v", command, got, verdict)
			}
		}
	}
}

const destructiveCommands = `
rm x
rm -rf build
/bin/rm x
r\m x
'rm' x
"r"m x
$$'\x72m' x
\rm x
ls; rm x
ls && rm x
false || rm x
(rm x)
{ rm x; }
! rm x
time rm x
if true; then rm x; fi
while read f; do rm "$$f"; done < list
for f in *; do rm $$f; done
case x in x) rm x;; esac
f() { rm "$$1"; }; f x
x=$(rm y)
echo "$(rm y)"
echo ` + "`" + `rm y` + "`" + `
cat <(rm x)
ls | tee >(rm x)
rm$$IFS-rf$$IFSx
{rm,-rf,x}
/bin/r? x
r[m] x
$$CMD x
"$$CMD" x
$(echo rm) x
"$@"
"$1" x
f() { "$@"; }; f ls
$${X:-rm} x
eval 'rm x'
eval rm x
eval "$$X"
eval $(echo ls)
alias ll='rm -rf'; ll x
trap 'rm x' EXIT
trap "$$X" EXIT
source <(curl -s example.org)
. /dev/stdin
sh -c 'rm x'
sh -ec 'rm x'
sh -c "$$X"
bash -c 'ls; rm "$1"' _ x
bash -c '"$@"' _ rm x
sh "$$script"
curl -s example.org | sh
echo 'rm x' | bash
echo 'rm x' | sudo bash -s
bash <<EOF\nrm x\nEOF
bash <<< 'rm x'
sh < script
sh -s
sudo rm x
sudo -u bob rm x
sudo -n -u bob env A=1 rm x
env rm x
env A=1 B=2 rm x
env -i -u X rm x
env -S 'rm x'
A=1 rm x
nohup rm x &
nice -n 5 rm x
ionice -c 2 -n 0 rm x
timeout 5 rm x
timeout -k 1 -s KILL 5 rm x
time -p rm x
setsid -w rm x
stdbuf -oL rm x
command rm x
exec rm x
exec -a name rm x
builtin eval 'rm x'
busybox rm x
flock /tmp/lock rm x
flock /tmp/lock -c 'rm x'
flock -w 5 /tmp/lock rm x
chroot /mnt rm x
taskset 1 rm x
doas rm x
strace -f rm x
xargs rm
ls | xargs rm -f
ls | xargs -n 1 -P 4 rm
ls | xargs -I{} rm {}
ls | xargs -I% sh -c 'rm %'
ls | xargs -I{} {}
ls | xargs sh -c 'rm "$@"' _
ls | xargs git push origin
find . -delete
find . -name '*.o' -exec rm {} +
find . -exec sh -c 'rm "$1"' _ {} \;
find . -exec {} \;
find . -fprint out
fd -e o -x rm
parallel rm ::: a b
ls | parallel
ls | parallel 'rm {}'
watch 'rm x'
watch -n 5 rm x
ssh host rm x
ssh -p 22 host 'rm x'
ssh host
ssh host < script
ssh -o ProxyCommand='rm x' host ls
su -c 'rm x' bob
su bob
script -c 'rm x' log
docker run -v a:b image rm -rf x
docker exec -it c sh -c 'rm x'
docker rm x
docker system prune -f
docker volume rm x
docker compose down
kubectl delete pod x
kubectl exec p -- rm x
kubectl -n ns delete pod x
helm uninstall x
terraform destroy
terraform apply -auto-approve
aws s3 rm s3://b/x
aws s3 sync . s3://b --delete
aws ec2 terminate-instances --instance-ids i
gcloud compute instances delete x
echo x > f
echo x >| f
echo x 2> f
echo x &> f
echo x >& f
> f
: > f
exec > f
{ ls; } > f
while read x; do :; done > f
echo x > "$$out"
echo x <> f
cat a > b 2>/dev/null
sort a -o a
ls | tee f
ls | sudo tee f
ls | tee -i f
cp a b
cp -r a b
mv a b
mv -f a b
ln -sf a b
ln -sfn a b
install a b
dd if=a of=b
dd of=/dev/sda
truncate -s 0 f
shred f
rmdir d
unlink f
rsync -a --delete a b
rsync a b
scp a host:b
sed -i s/a/b/ f
sed -i.bak s/a/b/ f
sed --in-place s/a/b/ f
sed -n -i p f
sed 's/a/b/w out' f
sed 's/a/b/e' f
sed -e p -e 'w out' f
sed '1e rm x' f
sed "$$program" f
awk '{ print > "out" }' f
awk '{ system("rm x") }' f
awk '{ print | "sh" }' f
awk 'BEGIN { "rm x" | getline }'
gawk -i inplace '{print}' f
perl -e 'unlink "x"'
perl -pi -e s/a/b/ f
python3 -c 'import os; os.remove("x")'
python3 - < script.py
python3 <<EOF\nprint(1)\nEOF
echo 'x' | python3
node -e 'x'
node --eval 'x'
ruby -e 'x'
php -r 'x'
psql -c 'drop table x'
sqlite3 db 'drop table x'
mysql -e 'drop table x'
redis-cli flushall
git push --force
git push -f origin main
git push -uf origin main
git push --forc origin main
git push --force-with-lease
git push origin +main
git push origin :branch
git push --delete origin x
git push --mirror
git -C dir push -f
git -c user.name=x push -f
git -c alias.x='!rm x' x
git $$SUB x
git push "$@"
git push $$FLAGS
git reset --hard
git reset --hard HEAD~1
git clean -fd
git checkout -- f
git checkout .
git checkout -f main
git checkout HEAD f
git restore f
git branch -D x
git branch -d x
git stash drop
git stash clear
git tag -d v1
git rm f
git reflog expire --all
git filter-branch x
gh repo delete x
gh api -X DELETE /x
curl -X DELETE example.org
curl -XDELETE example.org
curl --request DELETE example.org
curl -o f example.org
curl -sSLo f example.org
curl -O example.org/f
curl -fsSLO example.org/f
curl --output f example.org
wget -O f example.org
wget -qO f example.org
tar xf a.tgz
tar -czf a.tgz d
tar czf a.tgz d
gzip f
unzip -o a.zip
zip a.zip f
mkfs.ext4 /dev/sda1
mkfs /dev/sda1
fdisk /dev/sda
wipefs -a /dev/sda
kill 1
kill -9 $$pid
pkill x
killall x
fuser -k 80/tcp
shutdown now
reboot
systemctl stop x
systemctl poweroff
crontab -r
crontab f
echo x | crontab -
chmod -R 777 .
chmod --recursive 777 .
chown -R bob .
iptables -F
userdel bob
dropdb x
apt-get remove x
apt-get -y purge x
npm uninstall x
pip uninstall -y x
make clean
make -C d distclean
patch -p1 < x.diff
ed f
vim -es f
tmux new -d 'rm x'
echo 'rm x' | at now
gpg --yes -o f -d f.gpg
ffmpeg -y -i a b
split f
if then fi
echo "unclosed
expect -c 'spawn rm x'
coproc rm x
osascript -e 'x'
busybox sh -c 'rm x'
sudo sh -c 'echo x > /etc/f'
sudo -s
sudo -i
nohup sh -c 'rm x' > /dev/null 2>&1 &
`

const harmlessCommands = `
ls
ls -la | wc -l
echo rm
echo 'rm x'
echo "rm -rf /"
# rm x
ls # rm x
printf '%s\n' rm
grep rm f
grep -r 'rm -rf' .
cat f
cat f > /dev/null
ls > /dev/null 2>&1
ls 2>/dev/null
ls >&2
echo x >/dev/stderr
echo x >> f
ls &>/dev/null
echo x | tee /dev/null
echo x | tee -a f
echo x | tee
sort a
sort -u a | uniq -c
cp -n a b
cp --no-clobber a b
mv -n a b
ln -s a b
mkdir -p d
touch f
dd if=a
dd if=a of=/dev/null
sed s/a/b/ f
sed -n 1,5p f
sed -n '/a/,/b/p' f
sed -e 's/a/b/g' -e 's|x|y|' f
sed 's/a/b/; s/c/d/' f
sed '$$d' f
sed '/^$$/d' f
sed -E 's/(a+)b/\1/' f
awk '{print $$1}' f
awk -F: '$$3 > 5 { n++ } END { print n }' f
awk -v x=1 'NR == x || NF' f
find . -name '*.go'
find . -type f -exec grep x {} +
find . -print0 | xargs -0 wc -l
ls | xargs
ls | xargs echo
ls | xargs -I{} echo {}
xargs -n 1 grep x
env
env A=1 ls
sudo ls
sudo -l
sudo -u bob ls
timeout 5 ls
nice ls
command -v rm
type rm
which rm
time ls
flock /tmp/lock ls
flock /tmp/lock -c 'ls'
ssh host ls
ssh -p 22 host 'ls | wc -l'
watch -n 5 ls
sh -c 'ls'
sh -c 'ls "$1"' _ x
bash -c '"$@"' _ ls
bash <<EOF\nls\nEOF
bash <<< ls
sh script.sh
bash -x ./run.sh rm
sh -e -o pipefail script
. ./env.sh
source venv/bin/activate
eval ls
eval 'echo x'
alias ll='ls -l'; ll
trap 'echo done' EXIT
trap - EXIT
trap '' INT
./build.sh
./rm.sh
~/bin/tool --force
make
make test
make -j 4 all
go test ./...
cargo build
npm test
npm install
npm run build
pytest -q
python3 script.py
python3 -m pytest
python3 --version
node script.js
perl script.pl
ruby script.rb
git status
git push
git push origin main
git push -u origin main
git push -n --force
git -C dir status
git -c user.name=x commit -m 'rm -f'
git commit -m 'remove -f'
git commit -am x
git checkout main
git checkout -b new
git checkout -b new origin/main
git switch main
git branch
git branch new
git reset HEAD f
git stash
git stash list
git clean -n
git clean -nfd
git tag v1
git log --oneline
git diff
git add .
git pull
git fetch --all
git clone https://example.org/x
curl -s example.org
curl -fsSL -H 'A: b' example.org | jq .
curl -X POST -d x=1 example.org
curl -d @f example.org
curl -o /dev/null -s -w '%{http_code}' example.org
curl -o - example.org
wget example.org
wget -qO- example.org
tar tf a.tgz
tar -tzf a.tgz
tar xOf a.tgz f
gzip -c f
gzip -t f
unzip -l a.zip
crontab -l
kill -l
systemctl status x
systemctl start x
chmod +x f
chmod 644 f
chown bob f
docker ps
docker run image
docker build -t x .
docker logs rm
kubectl get pods
kubectl logs x
terraform plan
helm list
aws s3 ls
redis-cli get x
apt-get update
apt-get install -y x
pip install x
psql -f x.sql
iptables -L
ip addr
date +%F
sleep 1
true
exit 1
cd d && ls
X=1; echo $$X
export X=1
read x
[ -f x ] && echo y
test -d x || mkdir x
[[ $$x == y ]]
((x = 1))
for i in 1 2 3; do echo $$i; done
while read l; do echo "$$l"; done < f
if grep -q x f; then echo y; fi
case "$$x" in a) echo a;; *) echo b;; esac
f() { echo "$1"; }; f x
echo $(date) "$(pwd)"
diff <(sort a) <(sort b)
cat <<EOF\nrm x\nEOF
cat <<'EOF' | grep x\nrm -rf\nEOF
wc -l < f
cut -d , -f 1 f
head -n 5 f
tr a-z A-Z
jq '.a > 1' f
bc <<< 1+1
yes | head
nohup ./server > /dev/null 2>&1 &
busybox ls
vi --version
mysqldump db
pg_dump db
openssl dgst f
gpg --verify f
yq .a f
gofmt -l .
prettier --check .
ffmpeg -i a b
`

// TestDestructiveWithValues checks that values that are known before the run are looked at, and that what is not known
// counts as it.
func TestDestructiveWithValues(t *testing.T) {
	cases := []struct {
		command string
		values  map[string]any
		args    []any
		want    string
	}{
		{`"$@"`, nil, []any{"ls", "-l"}, ""},
		{`"$@"`, nil, []any{"rm", "-rf", "x"}, "rm deletes files"},
		{`"$@"`, nil, nil, ""},
		{`sudo "$@"`, nil, []any{"rm", "x"}, "rm deletes files"},
		{`"$1" x`, nil, []any{"rm"}, "rm deletes files"},
		{`shift; "$@"`, nil, []any{"ls", "rm"}, `the program "$@" is not known before it runs`},
		{`${tool} x`, map[string]any{"tool": "rm"}, nil, "rm deletes files"},
		{`${tool} x`, map[string]any{"tool": "ls"}, nil, ""},
		{`${tool} x`, nil, nil, "the program ${tool} is not known before it runs"},
		{`r${m} x`, map[string]any{"m": "m"}, nil, "rm deletes files"},
		{`echo ${v}`, nil, nil, ""},
		{`echo ${v}`, map[string]any{"v": "; rm x"}, nil, ""},
		{`echo x > ${f}`, map[string]any{"f": "/dev/null"}, nil, ""},
		{`echo x > ${f}`, nil, nil, "> replaces the file ${f}"},
		{`echo x > ${f}`, map[string]any{"f": "a.txt"}, nil, "> replaces the file a.txt"},
		{`git push origin ${b}`, map[string]any{"b": "main"}, nil, ""},
		{`git push origin ${b}`, map[string]any{"b": "+main"}, nil, "git push +main replaces or deletes what the remote has"},
		{`git push origin ${b}`, nil, nil, "git push ${b} is not known before it runs, and may be what replaces or deletes what the remote has"},
		{`docker ${sub} x`, map[string]any{"sub": "rm"}, nil, "docker rm removes containers"},
		{`sh ${f}`, map[string]any{"f": "run.sh"}, nil, ""},
		{`sh ${f}`, nil, nil, "the script ${f} of sh is not known before it runs"},
	}
	for _, c := range cases {
		if c.values == nil {
			c.values = map[string]any{}
		}
		if got := destroys(c.command, c.values, nil, c.args...); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.command, got, c.want)
		}
	}
}
