class List: UIViewController {
    let kind = "cell"
    let demos = ["Plain", "Scroll", "Layout"]

    func count() -> Int {
        return demos.count
    }
}
