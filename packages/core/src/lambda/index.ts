/** The trust value, computed from what a receipt carries: anybody can work it out again without us. */
export * from './axes.ts'
export * from './inputs.ts'
export * from './lambda.ts'
