// Japanese. The object stands before the verb and the ending says whether it is asked for, so forms that say no are listed
// with the verb. Verbs of Chinese origin take the endings of `する`; the others are listed.
import { type Language, listed, words } from './language.ts'

const ASKED = [
  '',
  'して',
  'してください',
  'して下さい',
  'しろ',
  'せよ',
  'する',
  'します',
  'しましょう',
  'したい',
  'してほしい',
  'させて',
]
const DENIED = [
  'しない',
  'しないで',
  'しないでください',
  'するな',
  'しません',
  'してはいけない',
  'してはならない',
  'せずに',
  'しなくて',
]
const TOLD = ['した', 'しました', 'された', 'されました', '済み', 'された']

/** A noun that becomes a verb. */
const suru = (list: string): string[] =>
  words(list).map((noun) =>
    [
      ...ASKED.map((ending) => noun + ending),
      ...TOLD.map((ending) => `=${noun}${ending}`),
      ...DENIED.map((ending) => `-${noun}${ending}`),
    ].join(' '),
  )

/** `stem` with the endings of its order, dictionary form and denial. */
const godan = (te: string, plain: string, masu: string, nai: string): string =>
  [
    plain,
    ...[
      te,
      `${te}ください`,
      `${te}下さい`,
      `${te}くれ`,
      `${te}ほしい`,
      `${masu}ます`,
      `${masu}たい`,
      `${masu}ましょう`,
    ],
    ...[`-${nai}ない`, `-${nai}ないで`, `-${nai}ないでください`, `-${plain}な`, `-${masu}ません`, `-${nai}ず`],
  ].join(' ')

export const JAPANESE: Language = {
  code: 'ja',
  verbs: listed({
    read: [
      ...suru('表示 検索 確認 要約 説明 比較 分析 翻訳 閲覧 調査 集計 列挙 検証 参照'),
      ...[godan('読んで', '読む', '読み', '読ま'), godan('探して', '探す', '探し', '探さ')],
      '見せる 見せて 見せてください -見せないで',
      '数える 数えて 数えてください',
      '教える 教えて 教えてください',
      '調べる 調べて 調べてください',
    ],
    write: [
      ...suru('作成 更新 編集 変更 追加 保存 複製 置換 移動 設定 登録 上書き 修正 挿入 無効化 有効化 コピー'),
      ...[godan('書いて', '書く', '書き', '書か'), godan('作って', '作る', '作り', '作ら')],
    ],
    send: [
      ...suru('送信 転送 共有 公開 投稿 配布 漏洩 アップロード エクスポート 配信 送付'),
      godan('送って', '送る', '送り', '送ら'),
    ],
    execute: [
      ...suru('実行 起動 再起動 停止 インストール デプロイ シャットダウン'),
      godan('動かして', '動かす', '動かし', '動かさ'),
    ],
    pay: [
      ...suru('送金 振込 購入 注文 決済 返金 寄付 支払い'),
      ...[godan('払って', '払う', '払い', '払わ'), godan('支払って', '支払う', '支払い', '支払わ')],
      ...[godan('買って', '買う', '買い', '買わ'), godan('振り込んで', '振り込む', '振り込み', '振り込ま')],
    ],
    delete: [
      ...suru('削除 消去 破棄 破壊 初期化 フォーマット 除去 抹消 全削除'),
      godan('消して', '消す', '消し', '消さ'),
      '捨てる 捨てて 捨ててください -捨てないで',
      '空にして 空にする 空にしてください',
    ],
  }),
  separable: [],
  universal: words('すべて 全て 全部 ぜんぶ 全員 あらゆる 一切 みんな 全件 全ファイル 全データ'),
  negations: [],
  between: [],
  asking: words('なぜ どうして どうやって なに 何 いつ どこ だれ 誰 どの どれ いくつ'),
  passive: [],
  small: words(
    'を は が に へ で と の も から まで や ください 下さい お願いします 今すぐ すぐに 今 私 この その あの それ これ',
  ),
}

/** No verbs, whatever they hold. */
export const JAPANESE_OTHER_WORDS = words(
  '削除方法 送信方法 実行方法 送信者 実行者 購入者 作成者 支払い方法 追加料金 変更履歴 更新日 送信元',
)
