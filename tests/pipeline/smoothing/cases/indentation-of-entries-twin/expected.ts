export const settings = {
  host: "localhost",
    port: 80,
   retries: 3,
}
