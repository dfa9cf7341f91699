// A server must not outlive the test that started it, not even one killed with -9, where no exit handler runs. The
// kernel closes the pipe of a dead process: a shell that waits for that end then stops the server and its folder.
import { spawn } from 'node:child_process'

const WAIT_THEN_STOP = `
cat >/dev/null
kill -"$1" "$2" 2>/dev/null
n=0
while kill -0 "$2" 2>/dev/null && [ "$n" -lt 50 ]; do sleep 0.1; n=$((n + 1)); done
kill -KILL "$2" 2>/dev/null
rm -rf -- "$3"
`

/** Stops `pid` by `signal` and removes `folder` once this process is gone. Returns the function that calls it off. */
export function guardProcess(pid: number, signal: 'INT' | 'TERM' | 'KILL', folder: string): () => void {
  const guard = spawn('sh', ['-c', WAIT_THEN_STOP, 'guard', signal, String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  })
  guard.on('error', (error) => process.stderr.write(`no guard for process ${pid}: ${error.message}\n`))
  guard.unref()
  // The pipe alone must not keep a finished test process alive.
  const { stdin } = guard as unknown as { stdin: { unref(): void; destroy(): void } }
  stdin.unref()
  return () => {
    guard.kill('SIGKILL')
    stdin.destroy()
  }
}
