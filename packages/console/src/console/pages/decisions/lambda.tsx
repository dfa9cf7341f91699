/** Lambda beside its floor. It can hold a request and never lets one pass, and that is always said. */
import { LAMBDA, LAMBDA_POWER } from '@orch/core'
import { sentence } from '../../../verify/words.ts'
import { Badge } from '../../components/badge.tsx'

const [LEFT, RIGHT, WIDTH] = [4, 396, 400]

interface LambdaProps {
  value: number
  floor: number
  axes: readonly { name: string; value: number }[]
  label: string | null
}

const at = (value: number): number => LEFT + value * (RIGHT - LEFT)

export function LambdaGauge({ value, floor, axes, label }: LambdaProps) {
  const lowest = axes.toSorted((a, b) => a.value - b.value)[0]
  return (
    <section className="lambda" aria-label="Lambda">
      <div className="lambda-head">
        Lambda <b>{value}</b> <Badge label={label} source="as the receipt states it" />
        <span className="right quiet small">{LAMBDA.status}</span>
      </div>
      <svg className="gauge" viewBox={`0 0 ${WIDTH} 40`} role="img" aria-label={`Lambda ${value}, floor ${floor}`}>
        <rect className="track" x={LEFT} y={10} width={RIGHT - LEFT} height={10} rx={5} />
        <rect className="fill" x={LEFT} y={10} width={Math.max(0, at(value) - LEFT)} height={10} rx={5} />
        <rect className="pass" x={at(floor)} y={10} width={RIGHT - at(floor)} height={10} />
        <path className="needle" d={`M${at(value)} 9l-5-7h10z`} />
        <path className="floor" d={`M${at(floor)} 5v20`} />
        <text x={LEFT} y={36}>
          0
        </text>
        <text className="strong" x={at(floor)} y={36} textAnchor="end">
          floor {floor.toFixed(2)}
        </text>
        <text x={RIGHT} y={36} textAnchor="end">
          1
        </text>
      </svg>
      <p className="never">
        <b>{sentence(LAMBDA_POWER)}</b>
        {lowest === undefined || lowest.value === 1 ? '' : ` Lowest axis: ${lowest.name} ${lowest.value}.`}
      </p>
    </section>
  )
}
