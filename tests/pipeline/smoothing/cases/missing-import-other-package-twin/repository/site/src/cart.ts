import { useRate } from 'rates'

export const rate = useRate()
