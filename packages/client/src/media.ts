// How a reply is read, by its media type: the same rule makes the types and reads the bytes.

type ReplyForm = 'json' | 'text' | 'bytes'

/** Signed payloads are JSON too, but their exact bytes are what matters: only plain JSON is parsed. */
export function replyForm(mediaType: string): ReplyForm {
  const [name = ''] = mediaType.toLowerCase().split(';', 1)
  if (name.trim() === 'application/json') return 'json'
  return name.startsWith('text/') || name.trim() === 'application/x-pem-file' ? 'text' : 'bytes'
}
