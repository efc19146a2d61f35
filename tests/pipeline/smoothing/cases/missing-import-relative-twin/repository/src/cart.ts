import { useRate } from './hooks/rate'

export const rate = useRate()
