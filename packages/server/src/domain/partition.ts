/** The part of the stored data that one owner's requests reach. */
export interface Partition {
  namespace: string
  owner: string
}

/** As documents name it. */
export const partitionName = ({ namespace, owner }: Partition): string => `${namespace}/${owner}`
