# Builds the firmware, flashes it, and measures it.

PORT ?= /dev/ttyUSB0
BAUD ?= 115200
BUILD := build
TARGET := weather

SOURCES := $(wildcard src/*.c) $(wildcard drivers/*.c)
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)

CFLAGS := -Os -Wall -Wextra -ffunction-sections
LDFLAGS := -Wl,--gc-sections

.PHONY: all clean coverage flash monitor size test

all: $(BUILD)/$(TARGET).elf

$(BUILD)/$(TARGET).elf: $(OBJECTS)
	$(CC) $(LDFLAGS) -o $@ $^
	$(SIZE) $@

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -c -o $@ $<

$(BUILD)/$(TARGET).hex: $(BUILD)/$(TARGET).elf
	$(OBJCOPY) -O ihex $< $@

flash: $(BUILD)/$(TARGET).hex
	avrdude -p m328p -c arduino -P $(PORT) -b $(BAUD) -U flash:w:$<

monitor:
	picocom -b $(BAUD) $(PORT)

size: $(BUILD)/$(TARGET).elf
	$(SIZE) --format=avr --mcu=atmega328p $<

test:
	$(MAKE) -C tests
	./tests/run --quiet

coverage:
	$(MAKE) -C tests COVERAGE=1
	./tests/run --quiet
	gcovr --root src --txt

clean:
	rm -rf $(BUILD)
	$(MAKE) -C tests clean

-include $(OBJECTS:.o=.d)
