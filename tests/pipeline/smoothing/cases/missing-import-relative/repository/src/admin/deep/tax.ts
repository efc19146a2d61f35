import { useRate } from '../../hooks/rate'

export const tax = useRate()
