-- Monthly report of the repair shop.

CREATE TABLE devices (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    serial      text NOT NULL UNIQUE,
    model       text NOT NULL,
    bought_on   date
);

CREATE TABLE repairs (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    device_id   bigint NOT NULL REFERENCES devices (id),
    opened_at   timestamptz NOT NULL DEFAULT now(),
    closed_at   timestamptz,
    cost        numeric(10, 2) NOT NULL DEFAULT 0,
    technician  text
);

CREATE INDEX repairs_device ON repairs (device_id);

CREATE VIEW open_repairs AS
SELECT r.id, d.serial, d.model, r.opened_at
FROM repairs r
JOIN devices d ON d.id = r.device_id
WHERE r.closed_at IS NULL
ORDER BY r.opened_at;

CREATE VIEW closed_repairs AS
SELECT r.id, d.serial, d.model, r.closed_at, r.cost, r.technician
FROM repairs r
JOIN devices d ON d.id = r.device_id
WHERE r.closed_at IS NOT NULL
ORDER BY r.closed_at;

CREATE VIEW monthly AS
SELECT date_trunc('month', r.closed_at) AS month,
       count(*) AS repairs,
       sum(r.cost) AS revenue,
       count(DISTINCT r.technician) AS technicians
FROM repairs r
WHERE r.closed_at IS NOT NULL
GROUP BY 1
ORDER BY 1;

CREATE FUNCTION close_repair(repair bigint, price numeric) RETURNS void AS $$
    UPDATE repairs
    SET closed_at = now(), cost = price
    WHERE id = repair AND closed_at IS NULL;
$$ LANGUAGE sql;
