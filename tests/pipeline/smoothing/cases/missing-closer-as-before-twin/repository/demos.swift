class List: UIViewController {
    let kind = "cell"

    func count() -> Int {
        return 3
    }
}
