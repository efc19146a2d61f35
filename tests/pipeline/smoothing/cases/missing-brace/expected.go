package shop

func total(lines []int) int {
	sum := 0
	for _, line := range lines {
		if line > 0 {
			sum += line
		}
	}
	return sum
}
