package shop

func total(lines []int) int {
	sum := 0
	for _, line := range lines {
		sum += line
	}
	return sum
}
