import { roundDeep } from '../../domain/rounded.ts'

/** Made short where they are computed: to six decimals the small ones, which matter most, would be zero. */
const SIGNIFICANT = new Set(['p_value', 'tail_probability'])

export const roundResult = <T>(result: T): T => roundDeep(result, undefined, SIGNIFICANT)
