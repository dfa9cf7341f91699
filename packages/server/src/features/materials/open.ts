/** Opens the surface: the tables, the model that is fitted to them once, and its calibration in the background. */
import { toComputeRefusal } from '../../domain/compute-refusal.ts'
import { roundDeep } from '../../domain/rounded.ts'
import { ServiceError } from '../../errors.ts'
import { isoNow } from '../../platform/clock.ts'
import type { Compute } from '../../platform/compute/compute.ts'
import { readSealed } from '../../platform/sealed-file.ts'
import { shared } from '../../platform/shared-result.ts'
import type { Ports } from '../../ports.ts'
import { type CalibrationInput, type CalibrationPart, partsOf } from './calibration-job.ts'
import type { Materials } from './contract.ts'
import type { FitResult, TrainingRows } from './fit-job.ts'
import { acceptance, selfTest, systemsOf, toCalibration } from './health.ts'
import { type FittedModel, KERNEL, makeFitted } from './predict.ts'
import type { Calibration, MaterialsHealth } from './schemas.ts'
import {
  ELEMENTS_SCHEMA,
  ElementTable,
  FORMATION_SCHEMA,
  FormationTable,
  isTrained,
  tableFault,
  toPhases,
} from './tables.ts'

const PREDICT_MS = 5_000
const FIT_DEADLINE_MS = 120_000
const PART_DEADLINE_MS = 120_000

interface Needs extends Pick<Ports, 'clock' | 'artifacts'> {
  compute: Compute
  /** Whether the model may be fitted before anybody asks. */
  warm: boolean
  /** Whether a look at the health of the model starts its calibration, half a minute of computing. */
  calibrates: boolean
  /** How long the known answers and the bars count once they were computed; the reply carries their date. */
  keepMs: number
}

/** What was made of the tables with these digests. */
interface Made {
  digests: string
  tables: Tables
  fit: Promise<FittedModel>
  fitted: FittedModel | null
  calibration: Calibration | null
  progress: { done: number; of: number }
  running: boolean
  fault: string | null
}

type File = Awaited<ReturnType<Ports['artifacts']['text']>>
type Tables = ReturnType<typeof readTables>

function readTables(formationFile: File, elementsFile: File) {
  const formation = readSealed(formationFile, FORMATION_SCHEMA, FormationTable)
  const elements = readSealed(elementsFile, ELEMENTS_SCHEMA, ElementTable)
  if (formation.ok && elements.ok && tableFault(formation.value, elements.value) === null)
    return { formation, elements, phases: toPhases(formation.value) }
  throw new ServiceError(
    'data_file_invalid',
    'the tables of materials of this build are not the committed ones; ask the operator',
  )
}

export function openMaterials({ compute, clock, artifacts, warm, calibrates, keepMs }: Needs): {
  materials: Materials
} {
  const fitJob = compute.register<TrainingRows, FitResult>({
    name: 'materials-fit',
    module: new URL('./fit-job.ts', import.meta.url),
    function: 'fitModel',
    deadlineMs: FIT_DEADLINE_MS,
  })
  const calibrateJob = compute.register<CalibrationInput, CalibrationPart>({
    name: 'materials-calibration',
    module: new URL('./calibration-job.ts', import.meta.url),
    function: 'calibrate',
    deadlineMs: PART_DEADLINE_MS,
  })
  let made: Made | null = null

  /** The files are read and their bytes hashed for every call; bytes that were read before are not looked through again. */
  async function tables() {
    const files = await Promise.all([artifacts.text('materials-formation'), artifacts.text('materials-elements')])
    const bytes = files.map((file) => (file.present ? file.sha256 : file.reason)).join(' ')
    if (known?.bytes === bytes) return known.tables
    const found = readTables(files[0], files[1])
    known = { bytes, tables: found }
    return found
  }
  let known: { bytes: string; tables: Tables } | null = null
  const trainingOf = ({ phases, elements }: Tables): TrainingRows => ({
    rows: phases.filter(isTrained).map(({ counts, energy }) => ({ counts, energy })),
    elements: elements.value.elements,
  })

  function fitTo(found: Tables): Made {
    const digests = `${found.formation.sha256} ${found.elements.sha256}`
    if (made !== null && made.digests === digests && made.fault === null) return made
    const fresh: Made = {
      digests,
      tables: found,
      fit: fitJob(trainingOf(found)).then(({ value }) =>
        makeFitted(value, found.phases, found.elements.value.elements),
      ),
      fitted: null,
      calibration: null,
      progress: { done: 0, of: partsOf(trainingOf(found)).length },
      running: false,
      fault: null,
    }
    made = fresh
    fresh.fit.then(
      (fitted) => {
        fresh.fitted = fitted
      },
      (error: unknown) => {
        // The next request tries again.
        fresh.fault = error instanceof Error ? error.message : 'the fit failed'
      },
    )
    return fresh
  }

  /** One piece after the other, so that trainings of others are not kept waiting behind all of them. */
  async function calibrate(current: Made): Promise<void> {
    if (!calibrates || current.running || current.calibration !== null) return
    current.running = true
    try {
      const fitted = await current.fit
      const training = trainingOf(current.tables)
      const parts: CalibrationPart[] = []
      for (const part of partsOf(training)) {
        parts.push((await calibrateJob({ ...training, ratios: fitted.model.ratios, part })).value)
        current.progress.done = parts.length
      }
      current.calibration = toCalibration(fitted, parts)
    } finally {
      current.running = false
    }
  }

  const materials: Materials = {
    async fitted(signal) {
      const found = await tables()
      const fitted = await within(PREDICT_MS, fitTo(found).fit, signal)
      return { fitted, data_sha256: found.formation.sha256, elements_sha256: found.elements.sha256 }
    },
    async health() {
      const current = fitTo(await tables())
      // Whoever asks for the calibration starts it; a pool that is busy or closes leaves it for the next one.
      calibrate(current).catch(() => undefined)
      return health()
    },
  }

  // The answers and bars take a tenth of a second of the thread that serves everybody, and anybody may ask.
  const version = () => {
    const { digests, fitted, calibration, progress, fault } = made!
    return [digests, fitted !== null, calibration !== null, progress.done, fault].join()
  }
  const health = shared({ keepMs, monotonic: () => clock.monotonic(), version }, async () => toHealth(made!))

  function toHealth(current: Made): MaterialsHealth {
    const { fitted, calibration, fault } = current
    const { formation, elements, phases } = current.tables
    const self_test = fitted === null ? null : selfTest(fitted)
    const { rows, disagreements_over_5_kj_mol } = formation.value
    return roundDeep({
      ok: self_test?.passed ?? false,
      label: 'MODELED',
      state: fault !== null ? 'FAILED' : fitted === null ? 'FITTING' : calibration === null ? 'CALIBRATING' : 'READY',
      reason: fault,
      checked_at: isoNow(clock),
      rows: rows.length,
      training_rows: phases.filter(isTrained).length,
      data_sha256: formation.sha256,
      elements_sha256: elements.sha256,
      second_source: {
        rows_checked: rows.filter(({ check }) => check !== null).length,
        disagreements_over_5_kj_mol: disagreements_over_5_kj_mol.map(({ formula, difference_kj_mol }) => ({
          formula,
          difference_kj_mol,
        })),
      },
      elements: elements.value.elements.map(({ symbol }) => symbol),
      systems_with_hull: systemsOf(phases),
      model: fitted && modelOf(fitted),
      calibration,
      calibration_progress: current.progress,
      acceptance: fitted === null ? [] : acceptance(fitted, calibration),
      self_test,
      honesty: 'MODELED',
      notes: [
        formation.value.selection,
        'the calibration is computed once for each build of the tables, piece by piece',
      ],
    } satisfies MaterialsHealth)
  }

  // A fault shows when somebody asks.
  if (warm)
    tables()
      .then((found) => fitTo(found).fit)
      .catch(() => undefined)
  return { materials }
}

function modelOf({ model, domain }: FittedModel): NonNullable<MaterialsHealth['model']> {
  const { ratios, variance, b0, b1, logMarginalLikelihood } = model
  return {
    kernel: KERNEL,
    hyperparameters: {
      s1: Math.sqrt(variance),
      s2: Math.sqrt(variance * ratios.linear),
      length: ratios.length,
      noise: Math.sqrt(variance * ratios.noise),
      b0,
      b1,
    },
    log_marginal_likelihood: logMarginalLikelihood,
    domain_limits: domain.limits,
  }
}

/** The fit goes on for those who come later, whatever becomes of this one. */
async function within<T>(limitMs: number, work: Promise<T>, signal: AbortSignal): Promise<T> {
  const busy = new ServiceError('compute_busy', 'the model is being fitted; retry in a second')
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(busy), limitMs)
    signal.addEventListener('abort', () => reject(busy), { once: true })
  })
  try {
    return await Promise.race([work, late])
  } catch (error) {
    throw toComputeRefusal(error, 'body')
  } finally {
    clearTimeout(timer)
  }
}
