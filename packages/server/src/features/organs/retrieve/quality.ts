/** How good a ranking is. */

const gain = (grades: readonly number[]): number =>
  grades.reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0)

/** nDCG with linear gain, reciprocal rank and recall of the ids that were found, within the first `k`; null without a
 *  relevant document. */
export function rankingQuality(ids: readonly string[], qrels: Readonly<Record<string, number>>, k: number) {
  const gradeOf = (id: string): number => (Object.hasOwn(qrels, id) ? qrels[id]! : 0)
  const relevant = Object.values(qrels).filter((grade) => grade > 0)
  if (relevant.length === 0) return null
  const grades = ids.slice(0, k).map(gradeOf)
  const ideal = relevant.sort((a, b) => b - a).slice(0, k)
  const first = grades.findIndex((grade) => grade > 0)
  return {
    ndcg: gain(grades) / gain(ideal),
    mrr: first < 0 ? 0 : 1 / (first + 1),
    recall: grades.filter((grade) => grade > 0).length / relevant.length,
  }
}
