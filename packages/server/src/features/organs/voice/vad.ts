/** Voice activity by level: frames that are clearly louder than the quietest tenth of the recording. */

const RATE = 16_000
const FRAME = 320
const FRAME_MS = 20
/** No microphone is quieter: padding with zeros must not turn its noise into speech. */
const QUIETEST_DB = -70
const ABOVE_DB = 9
const MIN_SPEECH_MS = 100
const HANG_OVER_MS = 200
/** Where even the quietest tenth is as loud as this, there is no pause to measure against. */
const LOUD_DB = -45

export function detectVoice(pcm: Uint8Array) {
  const samples = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength)
  const count = pcm.byteLength / 2
  const levels = Array.from({ length: Math.ceil(count / FRAME) }, (_, at) => {
    const end = Math.min(count, (at + 1) * FRAME)
    return levelOf(samples, at * FRAME, end)
  })
  const sorted = levels.toSorted((a, b) => a - b)
  const tenth = sorted[Math.max(0, Math.ceil(0.1 * sorted.length) - 1)]!
  const floor = Math.max(QUIETEST_DB, tenth)
  const threshold = floor + ABOVE_DB
  const duration = (count / RATE) * 1000
  const segments = segmentsOf(levels.map((level) => level > threshold)).map(({ from, to }) => ({
    start_ms: from * FRAME_MS,
    end_ms: Math.min(duration, to * FRAME_MS),
  }))
  const speech = segments.reduce((sum, { start_ms, end_ms }) => sum + end_ms - start_ms, 0)
  return {
    segments,
    speech_ratio: speech / duration,
    duration_ms: duration,
    noise_floor_dbfs: floor,
    threshold_dbfs: threshold,
    peak_dbfs: Math.max(QUIETEST_DB, ...levels),
    clipped_samples: clippedIn(samples, count),
    hasNoPause: floor > LOUD_DB,
  }
}

/** The root mean square of a frame around its own mean, in dB of full scale: an offset of the converter is no sound. */
function levelOf(samples: DataView, from: number, to: number): number {
  let [sum, squares] = [0, 0]
  for (let at = from; at < to; at += 1) {
    const value = samples.getInt16(at * 2, true) / 32_768
    sum += value
    squares += value * value
  }
  const mean = sum / (to - from)
  const power = squares / (to - from) - mean * mean
  return power <= 0 ? -Infinity : 10 * Math.log10(power)
}

/** Frames that belong together: gaps shorter than the hang-over are bridged, the hang-over itself is trimmed from the end,
 *  and what has too little sound in all is a click. */
function segmentsOf(active: readonly boolean[]): { from: number; to: number }[] {
  const found: { from: number; to: number; sounding: number }[] = []
  for (const [at, isActive] of active.entries()) {
    if (!isActive) continue
    const last = found.at(-1)
    if (last !== undefined && (at - last.to) * FRAME_MS < HANG_OVER_MS) {
      last.to = at + 1
      last.sounding += 1
    } else found.push({ from: at, to: at + 1, sounding: 1 })
  }
  return found.filter(({ sounding }) => sounding * FRAME_MS >= MIN_SPEECH_MS)
}

function clippedIn(samples: DataView, count: number): number {
  let clipped = 0
  for (let at = 0; at < count; at += 1) {
    const value = samples.getInt16(at * 2, true)
    if (value === 32_767 || value === -32_768) clipped += 1
  }
  return clipped
}
