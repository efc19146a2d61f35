export const settings = {
  host: "localhost",
  port: 80,
}
