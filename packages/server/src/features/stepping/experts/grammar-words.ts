// Small words that say who is meant, how much, and whether it is asked for at all.

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))

/** Universal scope. */
export const UNIVERSAL = words('all every each everything everyone everybody anything anyone entire whole *')
/** Where `all` means nothing of the kind: the word before it. */
export const UNIVERSAL_IDIOMS = words('after at above first')
export const LIMITING = words('only solely just exclusively merely')

export const DETERMINERS = words('the a an this that these those my your our their his her its another no some any')
export const PRONOUNS = words('it them this that these those him her us me you')
export const CONNECTORS = words('and or nor plus as')
export const CONTRAST = words('but however instead then yet so therefore otherwise afterwards next finally')
/** What begins a clause of its own; scope words beyond it belong to something else. */
export const SUBORDINATE = words(
  'after before when if once until till because while unless since although which who where whenever',
)
export const TOWARDS = words('to into onto towards toward at via on')
export const PREPOSITIONS = words(
  'of from in by about for with under over within inside without as per against between',
)

/** May stand between a negation, a modal or a request and its verb. */
export const FILLERS = words(
  'let allow dare ever even try trying attempt attempting to be been being want wants wish like need you me us anyone anybody allowed permitted supposed authorised authorized okay ok safe necessary required under any circumstances please start starting begin accidentally simply just also again actually directly permanently going have has get by from must should may might can could will would shall do does did is are now immediately kindly completely fully',
)
export const MODALS = words(
  'must should may might can could will would shall to please and or then not never just also now lets let you we i kindly immediately do dont',
)
export const BEING = words('be being get gets getting')
export const IS = words('is are')
export const WAS = words('was were been')
export const ENSURING = words('ensure sure must should shall see certain need needs')
export const CAUSING = words('have get want wants need needs like see order request keep having getting')

export const NEGATIONS = words(
  'not never cannot cant dont doesnt didnt wont wouldnt shouldnt mustnt couldnt isnt arent neither nor nobody none nothing noone no',
)
/** A negation in form only. */
export const NEGATION_IDIOMS = [
  'not only',
  'not just',
  'not merely',
  'not to mention',
  'no longer',
  'no later',
  'no more',
  'no less',
  'no matter',
  'no problem',
  'no worries',
  'no doubt',
  'no question',
  'no time',
  'why dont you',
  'why not',
  'cant you',
  'couldnt you',
  'wont you',
  'wouldnt you',
  'dont you',
]
/** Turn the meaning of `to` and a verb around. */
export const REFUSALS_TO = words(
  'forget forgets forgetting hesitate fail fails failing neglect omit refuse decline forbidden prohibited',
)
/** Turn the meaning of a verb in -ing around. */
export const REFUSALS_ING = words('without avoid avoiding refrain stop cease quit prevent forbid prevents instead')
/** In a condition a negation denies the condition and not the action. */
export const CONDITIONS = words('if unless when whenever where')

/** Begin a question or an explanation: what follows is spoken about and not asked for. */
export const ASKING = words(
  'what why how when where who which whose explain describe define discuss summarise summarize is are does did was were compare',
)
/** Begin a request, though they begin like a question. */
export const REQUEST_OPENERS = [
  'why dont you',
  'why not',
  'how about',
  'what about',
  'what if',
  'why wont you',
  'is it ok if you',
]
/** Right before a quotation: it is told, and not meant. */
export const REPORTING = words(
  'says said say reads read states stated called titled named labelled labeled word words phrase string text button field label translate spell quote quotes',
)
/** Make a quotation an order. */
export const OBEYING = words('do follow obey perform apply implement')
