#!/bin/sh
# run.sh DEMO FOLDER: how examples/demo.sh ends, with a program in place of cambium that answers at
# once. The demo itself takes minutes and is run by hand.
set -eu
demo=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2"

cat > fake <<'END'
#!/bin/sh
case $1 in
  version) printf '  llvm   14.0\n  torch  1.13\n' ;;
  search)
    [ "$FAKE" != no-search ] || { echo "cambium: no" >&2; exit 1; }
    echo "candidate accuracy latency" ;;
  report)
    [ "$FAKE" != no-report ] || { echo "cambium: no" >&2; exit 1; }
    mkdir -p "$4"; echo page > "$4/index.html" ;;
  export)
    case $FAKE in
      none) echo "cambium: 'best' (no fully trained candidate is within the limits) matches no candidate of x, or several" >&2; exit 2 ;;
      full-disk) echo "cambium: the disk is full" >&2; exit 1 ;;
    esac
    mkdir -p "$5"; echo "out = in" > "$5/equation.txt" ;;
  run) echo "accuracy 90 %" ;;
esac
END
chmod +x fake

# expect CASE CODE WORDS: the exit code, and words among what it prints.
expect() {
  code=0
  FAKE=$1 "$demo" ./fake > "$1.log" 2>&1 || code=$?
  [ "$code" = "$2" ] || { echo "$1: exit code $code instead of $2"; cat "$1.log"; exit 1; }
  grep -q "$3" "$1.log" || { echo "$1: does not say '$3'"; cat "$1.log"; exit 1; }
}
expect all 0 'accuracy 90 %'
expect none 0 'no faster network to export'
grep -q 'search --resume' none.log
grep -q 'report/index.html' none.log
expect full-disk 1 'the disk is full'
expect no-search 1 'cambium: no'
expect no-report 1 'cambium: no'
