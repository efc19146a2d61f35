import { useState } from 'react'
import { format } from './format'

export function Price({ cents }: { cents: number }) {
  const [open, setOpen] = useState(false)
  const useRate = () => 1
  return open ? format(cents * useRate()) : '-'
}
