import { APPENDING } from '../../errors.ts'
import { operation } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import type { Materials } from './contract.ts'
import { PREDICT, predictDraft } from './draft.ts'
import { EXAMPLE } from './request.ts'
import * as schemas from './schemas.ts'

/** Formation energies of inorganic crystals with intervals that were measured, and a refusal outside of the table. */
export const materials = ({ materials: port, recorder }: Pick<Ports, 'recorder'> & { materials: Materials }) => [
  operation({
    id: PREDICT,
    group: 'Research',
    method: 'POST',
    path: '/materials/predict',
    alias: true,
    scope: 'analysis:run',
    summary: 'Predict the formation energy of a composition with its interval, its competing phases, or a refusal',
    description:
      'GREEN and YELLOW carry a value and an interval; RED is a refusal without either. A composition of the table is predicted without its own row, beside the tabulated value.',
    emptyBody: 'example',
    body: schemas.PredictBody,
    bodyRule: { anyOf: [{ required: ['formula'] }, { required: ['composition'] }] },
    reply: schemas.PredictReply,
    labels: ['MODELED', 'SAMPLE', 'STRUCTURAL-ONLY'],
    errors: ['compute_busy', 'compute_timeout', 'data_file_invalid', ...APPENDING],
    example: { body: EXAMPLE },
    run: (call) => recorder.record(call, PREDICT, { decide: () => predictDraft(port, call) }),
  }),
  operation({
    id: 'materials.health',
    group: 'Research',
    method: 'GET',
    path: '/materials/health',
    alias: true,
    scope: null,
    summary: 'The table and the model, their calibration beside a naive baseline, and two known answers',
    description: 'The model is fitted and calibrated once, piece by piece; state says how far that is.',
    reply: schemas.MaterialsHealth,
    labels: ['MODELED'],
    errors: ['data_file_invalid'],
    run: () => port.health(),
  }),
]
