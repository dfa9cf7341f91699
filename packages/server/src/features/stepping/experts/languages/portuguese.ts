// Portuguese, of Brazil and of Portugal. Regular verbs are made by rule, verbs that change their stem are listed.
import { type Language, listed, words } from './language.ts'

const LAST: readonly (readonly [RegExp, string])[] = [
  [/g$/, 'gu'],
  [/c$/, 'qu'],
  [/ç$/, 'c'],
]
const beforeE = (stem: string): string => {
  const rule = LAST.find(([last]) => last.test(stem))
  return rule ? stem.replace(rule[0], rule[1]) : stem
}

const participles = (stem: string): string[] => ['o', 'a', 'os', 'as'].map((ending) => `=${stem}d${ending}`)

/** Infinitive, orders to tu, você and vocês, what `não` asks of tu, nós, gerund, participles. */
const regular = (list: string): string[] =>
  words(list).map((lemma) => {
    const stem = lemma.slice(0, -2)
    const soft = beforeE(stem)
    if (lemma.endsWith('ar'))
      return [
        ...[lemma, `${stem}a`, `${soft}e`, `${soft}em`, `${soft}es`, `${soft}emos`, `${stem}ando`],
        ...participles(`${stem}a`),
      ].join(' ')
    const gerund = `${stem}${lemma.endsWith('er') ? 'endo' : 'indo'}`
    return [
      ...[lemma, `${stem}e`, `${stem}a`, `${stem}am`, `${stem}as`, `${stem}amos`, gerund],
      ...participles(`${stem}i`),
    ].join(' ')
  })

export const PORTUGUESE: Language = {
  code: 'pt',
  verbs: listed({
    read: [
      ...regular(
        'mostrar listar buscar procurar encontrar contar resumir explicar descrever comparar analisar verificar consultar baixar examinar revisar',
      ),
      'ler lê leia leiam leias lendo =lido =lidos',
      'traduzir traduz traduza traduzam',
      'dizer diga digam',
    ],
    write: [
      ...regular(
        'escrever criar atualizar editar modificar alterar mudar adicionar inserir salvar guardar copiar renomear mover configurar ativar desativar',
      ),
      'substituir substitui substitua substituam',
      'sobrescrever sobrescreva sobrescrevam',
      'inserir insere insira insiram',
    ],
    send: [
      ...regular('enviar mandar compartilhar partilhar publicar encaminhar exportar vazar divulgar remeter'),
      'transmitir transmita transmitam',
    ],
    execute: [...regular('executar iniciar reiniciar instalar desligar rodar implantar lançar'), 'parar pare parem'],
    pay: [
      ...regular('pagar comprar doar reembolsar depositar'),
      'transferir transfere transfira transfiram transfiras =transferido',
    ],
    delete: [
      ...regular('apagar deletar eliminar remover limpar esvaziar formatar destroçar'),
      'excluir exclui exclua excluam excluas =excluído =excluídos =excluída =excluídas',
      'destruir destrói destrua destruam destruas =destruído =destruídos',
    ],
  }),
  separable: [],
  universal: words('tudo todo toda todos todas cada inteiro inteira completo completa'),
  negations: words('não nunca jamais nada nenhum nenhuma'),
  between: words('o a os as lhe lhes me te se nos'),
  asking: [...words('como quando onde quem qual quais quanto quantos quantas'), 'o que', 'por que'],
  passive: words('ser deve devem deveria deveriam'),
  small: words(
    'o a os as um uma uns umas de do da dos das em no na nos nas com por para pelo pela meu minha meus minhas seu sua seus suas nosso nossa favor e ou depois agora já isto isso este esta esse essa me te se lhe que deve devem ser',
  ),
}
