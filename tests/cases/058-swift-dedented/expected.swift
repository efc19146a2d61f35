import Foundation
import os

/// Keeps thumbnails in memory and on disk.
final class ThumbnailCache {
    struct Limits {
        var memory = 64
        var disk = 512
    }

    private let folder: URL
    private let limits: Limits
    private var memory: [String: Data] = [:]
    private var order: [String] = []
    private let log = Logger(subsystem: "app.gallery", category: "thumbnails")

    init(folder: URL, limits: Limits = Limits()) {
        self.folder = folder
        self.limits = limits
    }

    func data(for key: String) -> Data? {
        if let data = memory[key] {
            touch(key)
            return data
        }
        guard let data = try? Data(contentsOf: url(for: key)) else {
            return nil
        }
        remember(data, for: key)
        return data
    }

    func store(_ data: Data, for key: String) {
        remember(data, for: key)
        do {
            try data.write(to: url(for: key), options: .atomic)
        } catch {
            log.error("could not write \(key): \(error)")
        }
    }

    func remove(_ key: String) {
        memory[key] = nil
        order.removeAll { $0 == key }
        let file = url(for: key)
        guard FileManager.default.fileExists(atPath: file.path) else {
            return
        }
        do {
            try FileManager.default.removeItem(at: file)
        } catch {
            log.error("could not remove \(key): \(error)")
        }
    }
}

private extension ThumbnailCache {
    func url(for key: String) -> URL {
        folder.appendingPathComponent(key).appendingPathExtension("jpg")
    }

    func touch(_ key: String) {
        order.removeAll { $0 == key }
        order.append(key)
    }

    func remember(_ data: Data, for key: String) {
        memory[key] = data
        touch(key)
        while order.count > limits.memory {
            let oldest = order.removeFirst()
            memory[oldest] = nil
        }
    }
}
