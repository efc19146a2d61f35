import { useState } from 'react'
import { format } from './format'

export function Price({ cents }: { cents: number }) {
  const [open, setOpen] = useState(false)
  const rate = useRate()
  return open ? format(cents * rate) : '-'
}
