import { useState } from 'react'
import { format } from './format'
import { useRate } from '../hooks/rate'

export function Price({ cents }: { cents: number }) {
  const [open, setOpen] = useState(false)
  const rate = useRate()
  return open ? format(cents * rate) : '-'
}
