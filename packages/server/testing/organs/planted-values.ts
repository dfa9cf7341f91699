/** Made-up secrets of the forms that are looked for, put together here so that no scanner of a repository finds them. */
const letters = 'q7Rf2LxZ9vBn4KdW8sTy3HgPm6CjXa1Eu5'
const value = (prefix: string, length: number): string => prefix + letters.repeat(4).slice(0, length)

export const PLANTED_SECRETS: readonly { text: string; value: string }[] = [
  ['AWS id ', 'AKIA' + 'QZ7RFLX2VBN4KDW8', ''],
  ['key: ', value('sk_' + 'live_', 32), ''],
  ['api_key = "', value('', 28), '"'],
  ['postgres://admin:', value('', 16), '@db.example.net/main'],
  ['card ', '4539 5787 6362 1486', ' please'],
  ['IBAN ', 'DE75 5121 0800 1245 1261 99', ''],
].map(([before, found, behind]) => ({ text: `${before}${found}${behind}`, value: found! }))
