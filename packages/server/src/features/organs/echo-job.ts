/** The smallest job there is: it shows that a thread of the pool takes work and gives it back. */
export const echo = ({ value }: { value: number }): number => value
