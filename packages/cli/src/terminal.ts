// The two streams of a command. stdout is data and nothing else; stderr is for people. A reader that went away ends the
// writing quietly and never changes what a verification found.

export interface Terminal {
  /** Data. Resolves when there is room for more. */
  out(text: string): Promise<void>
  /** A line for people. */
  say(line: string): void
  /** Without newline, for a line that is rewritten. */
  rewrite(text: string): void
  readonly errIsTty: boolean
  /** Wraps in a colour where the terminal shows one. */
  paint(colour: Colour, text: string): string
  /** Aborted when nobody reads stdout any more. */
  readonly closed: AbortSignal
}

/** Nobody reads stdout any more: no error, and nothing to say to anyone. */
export class ReaderGone extends Error {}

const CODES = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const
export type Colour = keyof typeof CODES

export function createTerminal(noColour: boolean): Terminal {
  const stdout = process.stdout
  const stderr = process.stderr
  const gone = new AbortController()
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    gone.abort(new ReaderGone())
  })
  stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  const outIsTty = stdout.isTTY === true
  return {
    out: (text) => write(text, gone.signal),
    say: (line) => {
      stderr.write(`${line}\n`)
    },
    rewrite: (text) => {
      stderr.write(text)
    },
    errIsTty: stderr.isTTY === true,
    paint: (colour, text) => (outIsTty && !noColour ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text),
    closed: gone.signal,
  }
}

function write(text: string, gone: AbortSignal): Promise<void> {
  if (gone.aborted || process.stdout.write(text)) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      process.stdout.off('drain', done)
      gone.removeEventListener('abort', done)
      resolve()
    }
    process.stdout.on('drain', done)
    gone.addEventListener('abort', done)
  })
}

/** Text of others on a terminal: control characters could rewrite what was printed before. */
export const printable = (text: string): string => text.replace(CONTROLS, '\ufffd')

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g
