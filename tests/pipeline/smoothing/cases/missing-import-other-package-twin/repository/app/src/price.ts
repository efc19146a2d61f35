import { useState } from 'react'
import { format } from './format'

export function Price({ cents }: { cents: number }) {
  const [open, setOpen] = useState(false)
  return open ? format(cents) : '-'
}
