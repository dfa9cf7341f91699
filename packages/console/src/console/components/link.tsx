/** A link that changes the page in place when it is pressed plainly, and is an ordinary link in every other way. */
import type { ComponentProps, MouseEvent } from 'react'
import { navigate } from '../routing.ts'

type LinkProps = ComponentProps<'a'> & { href: string; replace?: boolean }

export function Link({ href, replace = false, onClick, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event)
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    if (event.defaultPrevented || !isPlain) return
    event.preventDefault()
    navigate(href, { replace })
  }
  return <a href={href} onClick={follow} {...rest} />
}
